/** The texts of one language. The build generates one module for each. */
declare module '*?language=en' {
  export const sections: unknown;
}

declare module '*?language=zh' {
  export const sections: unknown;
}

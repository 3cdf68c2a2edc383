/** What the build makes of the strings for one language. */
declare module '*?language=en' {
  export const sections: unknown;
}

declare module '*?language=zh' {
  export const sections: unknown;
}

/** The credentials that a user may have lost, and the effect of a reset. */
export const lost = [
  { what: 'password', name: 'people.resetPassword', text: 'people.resetPasswordText' },
  { what: 'second-factor', name: 'people.resetSecond', text: 'people.resetSecondText' },
  { what: 'both', name: 'people.resetBoth', text: 'people.resetBothText' },
] as const;

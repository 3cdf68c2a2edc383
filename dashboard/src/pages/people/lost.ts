/** The credentials that a user may have lost, and the effect of a reset. */
export const resetChoices = [
  { resets: 'password', name: 'people.resetPassword', text: 'people.resetPasswordText' },
  { resets: 'second-factor', name: 'people.resetTwoFactor', text: 'people.resetTwoFactorText' },
  { resets: 'both', name: 'people.resetBoth', text: 'people.resetBothText' },
] as const;

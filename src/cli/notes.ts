/** What a change by command means for a gateway that is running. */
export const followNote = 'A running gateway follows within a second.';
export const terminateNote = 'A running gateway follows within a second and ends the running answers, too.';

export const followNote = 'Running gateways apply this within a second.';
export const terminateNote = 'Running gateways apply this within a second and abort running requests.';

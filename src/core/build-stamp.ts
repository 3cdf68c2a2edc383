/** When this build was made, in the form of `x-gateway-version`. */
export const buildStamp = '20261115-000000';

/** Some write it with a slash at its end, some without. */
export const bareIssuer = (issuer: string): string => issuer.replace(/\/+$/, '');

export const otherIssuer = (ours: string, theirs: string): string =>
  `OIDC_ISSUER is ${ours}, but the provider calls itself ${theirs}`;

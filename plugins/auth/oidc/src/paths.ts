export const startPath = '/sign-in/oidc';
export const callbackPath = '/sign-in/oidc/callback';

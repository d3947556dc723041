/** The full hash of an object, SHA-1 or SHA-256, as git prints it. */
export const fullHash = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

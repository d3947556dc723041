/** Where the pages stand; the links of conversations name them. */
export const root = '/deepsearch';
export const feedbackPath = `${root}/feedback`;
export const pathOf = (identifier: string, action = ''): string =>
  `${root}/${identifier}${action === '' ? '' : `/${action}`}`;
export const sharedPathOf = (identifier: string): string => `${root}/shared/${identifier}`;

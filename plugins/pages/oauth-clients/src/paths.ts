export const path = '/site-admin/oauth-clients';
export const editPath = `${path}/edit`;

/** Where pages stand in the navigation, small numbers first. A page of another plugin may use any number between. */
export const navigationOrder = {
  home: 10,
  search: 20,
  deepSearch: 30,
  analytics: 40,
  accessTokens: 50,
  connectedClients: 55,
  administration: 60,
  users: 61,
  roles: 62,
  access: 63,
  plugins: 64,
  repositories: 65,
  oauthClients: 66,
  audit: 67,
  configuration: 68,
} as const;

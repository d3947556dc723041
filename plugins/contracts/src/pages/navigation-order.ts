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
  plugins: 63,
  repositories: 64,
  oauthClients: 65,
  audit: 66,
  configuration: 67,
} as const;

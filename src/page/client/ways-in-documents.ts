// Operations for getting in and back in, which few visits need. A test holds them against the schema.

export const SIGN_IN_SERVICE =
  'query SignInService { signInService { mail oidc { id name url signOutUrl } } }';

export const REQUEST_RESET =
  'mutation RequestPasswordReset($email: String!) { requestPasswordReset(email: $email) { requested } }';

export const RESET = `mutation ResetPassword($token: String!, $newPassword: String!) {
  resetPassword(token: $token, newPassword: $newPassword) { email }
}`;

export const CONFIRM =
  'mutation ConfirmEmail($token: String!) { confirmEmail(token: $token) { user { id email } } }';

export const REQUEST_CONFIRMATION =
  'mutation RequestEmailConfirmation { requestEmailConfirmation { requested } }';

export const UNDO_EMAIL =
  'mutation UndoEmailChange($token: String!) { undoEmailChange(token: $token) { email } }';

export const EXCHANGE =
  'mutation ExchangeLogIn($code: String!) { exchangeLogIn(code: $code) { token user { id } } }';

export const WAYS_IN = `query WaysIn {
  me { id email emailConfirmedAt identities { id provider connectedAt } }
  signInService { mail oidc { id name url signOutUrl } }
}`;

export const CONNECT = 'mutation ConnectIdentity { connectIdentity { url } }';

export const DISCONNECT =
  'mutation DisconnectIdentity($id: ID!) { disconnectIdentity(id: $id) { identityId } }';

/**
 * Words that show that a name is a credential's, as the source of a regular expression. Everything that recognises
 * credentials by name uses this list: members of answers, request headers, inputs, the log. Each adds only words of its
 * own context, such as "key" in a header.
 */
export const credentialWords =
  'secret|passw(?:or)?d|passphrase|passcode|token|credential|authorization|cookie|' +
  '(?:api|private|access|encryption|signing)[-_. ]?key'

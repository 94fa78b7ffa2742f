/**
 * Words by which a name says that what it names is a credential, as the source of an expression. The one list for all
 * that recognises credentials by name: members of answers, request headers, inputs, the log. Each adds only what a name
 * means in its own place, such as "key" in a header.
 */
export const credentialWords =
  'secret|passw(?:or)?d|passphrase|passcode|token|credential|authorization|cookie|' +
  '(?:api|private|access|encryption|signing)[-_. ]?key'

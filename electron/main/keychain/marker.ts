/** The entry that tells an open keychain from a locked one, where a locked one looks empty. Never a secret. */
export const marker = { account: 'marker', value: 'Tells Slipway that the keychain is open.' }

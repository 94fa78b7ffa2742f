/** The entry that tells an open keychain from a locked one that looks empty. Never a secret. */
export const marker = { account: 'marker', value: 'Tells Slipway that the keychain is open.' }

/**
 * The prefix of upload paths. They need no key, have a time limit of their own, and are logged without their signature.
 */
export const uploadsPath = '/uploads/'

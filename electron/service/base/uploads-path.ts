/** What the paths of uploads begin with. They need no key, have a time limit of their own, and aren't logged whole. */
export const uploadsPath = '/uploads/'

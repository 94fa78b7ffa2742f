/** What is appended to the name of a cache's file: for its log of crashes, and for a file that was set aside. */
export const cacheFileSuffixes = { crashes: '.crashes', aside: '.damaged-' } as const

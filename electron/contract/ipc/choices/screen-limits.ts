/** The longest identifier of a deployment that is remembered with the last screen, in characters. Free of zod. */
export const longestScreenId = 300

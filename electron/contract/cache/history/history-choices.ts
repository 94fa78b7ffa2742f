/** For how many days an environment's history can be kept. */
export const historyDays = [30, 90, 365] as const

export const defaultHistoryDays: (typeof historyDays)[number] = 90

/** How large an environment's history may become. The oldest entries are removed first. */
export const maxHistory = { megabytes: 64 } as const

/** Where the data is: in a folder that only this process uses, or in a PostgreSQL database that several share. */
export type Place =
  | { folder: string }
  | {
      /** It may contain a password: never show it. */
      connectionString: string
      /** The largest number of connections to each server. */
      connections: number
    }

import type { LastFilters } from './last-filters'

/** A list without filters of these. Apart from the schema, so that the page needs none before the first list. */
export const noLastFilters: LastFilters = {
  name: '',
  imageVersion: '',
  tagValueIds: '',
  deploymentIds: '',
  favourites: false,
  label: null,
  searchesCache: false,
}

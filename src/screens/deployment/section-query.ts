/** The sections of a deployment's page, in the order of their tabs. */
export const sections = [
  { id: 'overview', label: 'Overview' },
  { id: 'history', label: 'History' },
  { id: 'resources', label: 'Resources' },
  { id: 'json', label: 'JSON' },
] as const

type SectionId = (typeof sections)[number]['id']

/** The section that an address names; the first one if it names none. */
export const sectionOf = (named: unknown): SectionId =>
  sections.find(({ id }) => id === named)?.id ?? 'overview'

/** How an address names a section: the first one isn't named. */
export const sectionQuery = (id: SectionId): { section?: SectionId } =>
  id === 'overview' ? {} : { section: id }

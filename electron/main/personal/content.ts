import { newerPersonalFileSchema, type PersonalFile, personalFileSchema } from '@contract/ipc/personal-file'

export const noContent: PersonalFile = { version: 1, services: [], views: [], takenIn: [] }

/** Reads the text of a file; `newer` if a later version wrote it. */
export function readContent(text: string): PersonalFile | 'newer' | 'unreadable' {
  try {
    const value: unknown = JSON.parse(text)
    return newerPersonalFileSchema.safeParse(value).success ? 'newer' : personalFileSchema.parse(value)
  } catch {
    return 'unreadable'
  }
}

/** Two contents as one; what is in the first counts where both have it. `hash` is that of the second one's file. */
export const merged = (first: PersonalFile, second: PersonalFile, hash: string): PersonalFile => ({
  ...first,
  services: [...first.services, ...second.services],
  views: [...first.views, ...second.views.filter(({ id }) => !first.views.some((one) => one.id === id))],
  takenIn: [...new Set([...first.takenIn, ...second.takenIn, hash])],
})

/** Content that no longer says that a file is in it. */
export const withoutTaken = (content: PersonalFile, hash: string): PersonalFile => ({
  ...content,
  takenIn: content.takenIn.filter((one) => one !== hash),
})

/** Content without what belongs to an environment. */
export const without = (content: PersonalFile, environmentId: string): PersonalFile => ({
  ...content,
  services: content.services.filter((one) => one.environmentId !== environmentId),
  views: content.views.filter((one) => one.environmentId !== environmentId),
})

/** The environments that something belongs to. */
export const environmentsOf = ({ services, views }: PersonalFile): string[] => [
  ...new Set([...services, ...views].flatMap(({ environmentId }) => environmentId ?? [])),
]

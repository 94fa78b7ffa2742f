import { domainToUnicode } from 'node:url'
import { type Answers, fail, failure, type Failure, type Outcome, succeed } from '@contract'
import {
  type SavedView,
  type ViewContent,
  viewContentSchema,
  viewLimits,
  type ViewsFile,
} from '@contract/cache'
import { readFileAs } from '../../processes/answers'
import type { FileDialogs } from '../../window/file-dialogs'
import { readChosen, saveChosen } from '../../window/chosen-files'
import type { Personal } from '.'

/** The parts of the application that views use. */
interface ViewsOptions extends FileDialogs {
  personal: Pick<Personal, 'content' | 'change'>
  /** Whether there is an environment with an identifier. */
  exists: (environmentId: string) => boolean
  /** Gives a function that says whether a text has a stored secret, or the address of an environment. */
  confidential: () => (text: string) => boolean
}

/** Saved views of the list. Every function also has the failures of `Personal`. */
export function createViews({
  personal,
  exists,
  confidential,
  askWhich,
  askWhere,
}: ViewsOptions): Answers<'views'> {
  /** The views of all environments, in the order they were first saved. */
  async function list(): Promise<Outcome<SavedView[]>> {
    const content = await personal.content()
    return content.ok ? succeed(content.value.views) : content
  }

  return {
    'views.list': list,

    /**
     * Adds views, or replaces those with their identifiers: all of them or none. Gives all views. Failures: `not-found`
     * for an environment that is gone, `invalid-input` for a name that is taken or beyond the limits.
     */
    'views.save': ({ views: saved }) =>
      personal.change(null, (content) => {
        if (saved.some(({ environmentId }) => environmentId !== null && !exists(environmentId)))
          return fail(gone)
        const views = saved.reduce<SavedView[]>(put, content.views)
        if (views.length > viewLimits.count) return fail(tooMany)
        const taken = saved.find((view) => views.some((other) => isInTheWay(other, view)))
        if (taken) return fail(nameTaken(taken.name))
        return succeed({ content: { ...content, views }, value: views })
      }),

    'views.remove': ({ ids }) =>
      personal.change(null, (content) => {
        const views = content.views.filter(({ id }) => !ids.includes(id))
        return succeed({ content: { ...content, views }, value: views })
      }),

    /**
     * Saves views to a file for somebody else, where the operator chooses. Gives null if they cancel. Failures:
     * `not-allowed` if a view contains something that must not be shared, `invalid-input` if the file would be too large
     * to import, `disk-full`, `internal`.
     */
    async 'views.share'({ ids }) {
      const all = await list()
      if (!all.ok) return all
      const chosen = all.value.filter(({ id }) => ids.includes(id)).map(contentOf)
      const file: ViewsFile = { format: 'slipway-views', version: 1, views: chosen }
      const text = `${JSON.stringify(file, null, 2)}\n`
      if (chosen.length === 0) return fail(nothingToShare)
      if (textsOf(chosen).some(confidential())) return fail(confidentialText)
      if (Buffer.byteLength(text) > viewLimits.fileBytes) return fail(tooMuchToShare)
      const path = await askWhere('views', 'slipway-views.json')
      return await saveChosen(path, text, 'The file')
    },

    /**
     * Reads the file that the operator chooses, and adds nothing. Null if they cancel. Failures: `invalid-input` for
     * anything but a file with views, `internal`.
     */
    async 'views.read'() {
      const path = await askWhich('views')
      const read = await readChosen(path, viewLimits.fileBytes, { kind: 'a file with views', advice })
      if (!read.ok) return read
      if (read.value === null) return succeed(null)
      const { fileName, bytes } = read.value
      const views = await readFileAs({ kind: 'views-file' }, bytes)
      return views ? succeed({ fileName, views }) : fail(notViews(fileName))
    },
  }
}

const put = (views: readonly SavedView[], view: SavedView): SavedView[] =>
  views.some(({ id }) => id === view.id)
    ? views.map((other) => (other.id === view.id ? view : other))
    : [...views, view]

const isInTheWay = (other: SavedView, view: SavedView): boolean =>
  other.id !== view.id && other.environmentId === view.environmentId && other.name === view.name

/** A view as it is shared: without its identifier and environment. */
const contentOf = ({ id: _id, environmentId: _environment, ...content }: SavedView): ViewContent =>
  viewContentSchema.parse(content)

/** Every text that somebody typed into these views. */
const textsOf = (views: readonly ViewContent[]): string[] =>
  views.flatMap(({ name, filters }) => [
    name,
    ...Object.values(filters).flatMap((value) => (typeof value === 'string' ? [value] : [])),
    ...filters.statuses,
  ])

const gone = failure('not-found', 'This environment no longer exists, so the view was not saved.')

const tooMany = failure('invalid-input', `There are ${viewLimits.count} views already.`, {
  advice: 'Remove some of them, then try again.',
})

const nameTaken = (name: string): Failure =>
  failure('invalid-input', `Another view is called "${name}".`, { advice: 'Choose another name.' })

const nothingToShare = failure('not-found', 'These views no longer exist.')

const tooMuchToShare = failure(
  'invalid-input',
  `These views take more than ${viewLimits.fileBytes / 1_000_000} MB, which couldn't be imported again.`,
  { advice: 'Share fewer of them at once.' },
)

const confidentialText = failure(
  'not-allowed',
  'A filter of these views has the value of a stored secret or the address of an environment, so they were not saved to a file.',
  { advice: 'Change the filter, replace the view, then share it again.' },
)

const advice = 'Choose a file that "Share" has saved.'

const notViews = (fileName: string): Failure =>
  failure('invalid-input', `${fileName} is not a file with views of Slipway, so nothing was added.`, {
    advice,
  })

/**
 * Gives a function that says whether a text contains the host of one of these base URLs as a whole word, in any case,
 * also as people write an international one.
 */
export function addressFinder(baseUrls: readonly string[]): (text: string) => boolean {
  const hosts = baseUrls.flatMap((baseUrl) => {
    const { hostname } = new URL(baseUrl)
    return [hostname, domainToUnicode(hostname)].filter((host) => host !== '')
  })
  const escaped = hosts.map((host) => host.replace(/^\[|\]$|\.$/g, '').replaceAll('.', '\\.'))
  const found = new RegExp(
    `(?<![\\p{L}\\p{M}\\p{N}_-])(?:${escaped.join('|')})(?![\\p{L}\\p{M}\\p{N}_-])`,
    'iu',
  )
  return (text) => hosts.length > 0 && found.test(text)
}

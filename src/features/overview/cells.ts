import type { Environment } from '@contract'
import { shownText } from '@contract/core/text'
import { type FunctionalComponent, h } from 'vue'
import EnvironmentMark from '@/ui/widgets/EnvironmentMark.vue'
import { UntrustedText } from '@/ui/widgets/texts'

/** An environment in a row of several: its badge and its name. */
export const EnvironmentCell: FunctionalComponent<{ environment: Pick<Environment, 'name' | 'profile'> }> = ({
  environment,
}) =>
  h('span', { class: 'gap-2 inline-flex items-baseline max-w-full' }, [
    h(EnvironmentMark, { environment }),
    h(UntrustedText, { class: 'wrap-anywhere', text: environment.name }),
  ])

EnvironmentCell.props = ['environment']

const nameLook = 'name line-clamp-2 text-inherit font-600 no-underline wrap-anywhere'

/** The name of a row's deployment, as a link if it can be opened: `path` is null if nothing can. */
export const RowName: FunctionalComponent<{ name: string; path: string | null }, { open: [path: string] }> = (
  { name, path },
  { emit },
) => {
  const text = { text: name, max: 200 }
  const title = shownText(name)
  if (path === null) return h(UntrustedText, { class: nameLook, title, ...text })
  const onClick = (event: Event): void => {
    event.preventDefault()
    emit('open', path)
  }
  return h(
    'a',
    { class: `${nameLook} hover:underline`, href: `#${path}`, title, onClick },
    h(UntrustedText, text),
  )
}

RowName.props = ['name', 'path']
RowName.emits = ['open']

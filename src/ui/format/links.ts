import type { Deployment } from '@contract'
import { type LinkKind, linkKinds, type Links } from '@contract/app/environment'

export const linkLabels: Record<LinkKind, string> = {
  app: 'Open app',
  docs: 'API docs',
  studio: 'Studio',
  dashboard: 'Dashboard',
}

/** What a template may contain in braces. */
export const linkPlaceholders = ['custom_url', 'id', 'name', 'tenant_id', 'origin'] as const

/**
 * The templates of an environment that names none, by its base URL. Only the public service of such agents has a studio
 * and a dashboard whose address is known: beside its own, or where an installation of one's own has its interface below
 * `/api-host`.
 */
export function defaultLinks(baseUrl: string | null): Links {
  const app = { app: '{custom_url}', docs: '{custom_url}/docs' }
  if (baseUrl === null || !URL.canParse(baseUrl)) return app
  const { host, pathname, origin } = new URL(baseUrl)
  const [, region = null] = /^((?:[a-z]+\.)?)api\.host\.langchain\.com$/.exec(host) ?? []
  const site = region !== null ? `https://${region}smith.langchain.com` : origin
  if (region === null && !/^\/api-host\/?$/.test(pathname)) return app
  return {
    ...app,
    studio: `${site}/studio/?baseUrl={custom_url}`,
    dashboard: `${site}/o/{tenant_id}/host/deployments/{id}`,
  }
}

/** The links of a deployment, without those that need something that it lacks. */
export function linksOf(
  { id, name, tenant_id, source_config: { custom_url } }: Deployment,
  baseUrl: string | null,
  links: Links = {},
): { label: string; url: string }[] {
  const origin = baseUrl !== null && URL.canParse(baseUrl) ? new URL(baseUrl).origin : null
  const url = custom_url?.replace(/\/+$/, '') ?? null
  const values = { custom_url: url, id, name, tenant_id, origin }
  const templates = { ...defaultLinks(baseUrl), ...links }
  return linkKinds.flatMap((kind) => {
    let isWhole = templates[kind] !== undefined
    const filled = (templates[kind] ?? '').replace(/\{(\w+)\}/g, (text, key: string, at: number) => {
      const value = Object.hasOwn(values, key) ? values[key as keyof typeof values] : text
      isWhole &&= Boolean(value)
      return at === 0 ? (value ?? '') : encodeURIComponent(value ?? '')
    })
    return isWhole ? [{ label: linkLabels[kind], url: filled }] : []
  })
}

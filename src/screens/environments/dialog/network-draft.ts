import type {
  Certificate,
  FieldIssue,
  Proxy,
  ProxyInput,
  ProxyView,
  Trust,
  TrustInput,
  TrustView,
} from '@contract'
import { trimBlanks } from '@contract/core/text'

/** The certificate rule in the dialog. The input of each choice is preserved when another is chosen. */
export interface TrustDraft {
  kind: Trust['kind']
  /** The private CA: its text as chosen or pasted, and the certificates that the main process found in it. */
  pem: string
  authorities: readonly Certificate[]
  exact: Certificate | null
  /** The main process's identifier of the refusal of `exact`; null for the stored certificate. */
  refusalId: string | null
}

/** The proxy in the dialog. A stored password never comes back: it is kept unless `replacing`. */
export interface ProxyDraft {
  mode: Proxy['mode']
  host: string
  port: string
  userName: string
  password: string
  passwordStored: boolean
  replacing: boolean
  url: string
  text: string
}

export function trustDraft(trust: TrustView | null): TrustDraft {
  const isAuthority = trust?.kind === 'authority'
  return {
    kind: trust?.kind ?? 'system',
    pem: isAuthority ? trust.pem : '',
    authorities: isAuthority ? trust.certificates : [],
    exact: trust?.kind === 'exact' ? trust.certificate : null,
    refusalId: null,
  }
}

export function proxyDraft(proxy: ProxyView | null): ProxyDraft {
  const manual = proxy?.mode === 'manual' ? proxy : null
  return {
    mode: proxy?.mode ?? 'system',
    host: manual?.host ?? '',
    port: manual ? String(manual.port) : '',
    userName: manual?.userName ?? '',
    password: '',
    passwordStored: manual !== null && manual.userName !== null,
    replacing: false,
    url: proxy?.mode === 'pac-url' ? proxy.url : '',
    text: proxy?.mode === 'pac-text' ? proxy.text : '',
  }
}

export function trustInput({ kind, pem, exact, refusalId }: TrustDraft): TrustInput {
  if (kind === 'authority') return { kind, pem }
  return kind === 'exact' && exact ? { kind, refusalId } : { kind: 'system' }
}

export function proxyInput(draft: ProxyDraft): ProxyInput {
  switch (draft.mode) {
    case 'manual': {
      const { mode } = draft
      const host = trimBlanks(draft.host)
      const port = trimBlanks(draft.port)
      const userName = trimBlanks(draft.userName)
      const password = draft.passwordStored && !draft.replacing ? null : draft.password
      const credentials = userName === '' ? null : { userName, password }
      return { mode, host, port: /^\d+$/.test(port) ? Number(port) : Number.NaN, credentials }
    }
    case 'pac-url':
      return { mode: draft.mode, url: trimBlanks(draft.url) }
    case 'pac-text':
      return { mode: draft.mode, text: draft.text }
    case 'system':
    case 'none':
      return { mode: draft.mode }
  }
}

/** The field of an issue of trust or proxy: `trust` or `proxy-MEMBER`; null for any other issue. */
export function networkField([member, ...path]: FieldIssue['path']): string | null {
  if (member === 'trust') return 'trust'
  return member === 'proxy' ? `proxy-${path[path.length - 1] ?? 'mode'}` : null
}

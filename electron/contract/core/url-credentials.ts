/** The user part of a URL in a text (RFC 3986, 3.2.1). Passwords may have an @ that should have been escaped. */
const userPart = /\b([a-z][a-z0-9+.-]*:\/\/)([^\s/?#"]+)@/gi

/** A credential among the parameters of a URL, but not a shell's variable. */
const parameter = /([?&][\w.-]*(?:token|secret|passw(?:or)?d|api[_-]?key)=)([^\s&#"'$][^\s&#"']*)/gi

/** Whether the name of a user certainly is a token: it begins like a known kind, or looks random. */
const isToken = (user: string): boolean =>
  /^(?:gh[a-z]_|github_pat_|glpat-|ATBB|x-token-auth$)/.test(user) ||
  (/[a-z\d]{20}/i.test(user) && /\d/.test(user) && /[a-z]/i.test(user))

/** A credential in a URL. It is certain if it isn't only the name of a user. */
interface UrlCredential {
  text: string
  isCertain: boolean
}

/** The credentials in the URLs of a text. The user of an `ssh:` URL without a password is none. */
export function urlCredentialsIn(text: string): UrlCredential[] {
  const found: UrlCredential[] = []
  replaceUrlCredentials(text, (credential) => {
    found.push(credential)
    return ''
  })
  return found
}

/** A text with each credential of its URLs replaced. */
export function replaceUrlCredentials(text: string, replace: (credential: UrlCredential) => string): string {
  if (!text.includes('@') && !text.includes('=')) return text
  return text
    .replace(userPart, (whole: string, scheme: string, user: string) => {
      const hasPassword = /:./.test(user)
      if (!hasPassword && !/^(?:[a-z+]*\+)?https?:/i.test(scheme)) return whole
      return `${scheme}${replace({ text: user, isCertain: hasPassword || isToken(user) })}@`
    })
    .replace(parameter, (_whole, name: string, value: string) => {
      return name + replace({ text: value, isCertain: true })
    })
}

/** The texts that must not be shown of the credentials in a value, such as a request: whole, and the password alone. */
export function urlCredentialTexts(value: unknown): string[] {
  if (typeof value === 'string') {
    return urlCredentialsIn(value).flatMap(({ text, isCertain }) =>
      isCertain ? [text, text.slice(text.indexOf(':') + 1)] : [],
    )
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(urlCredentialTexts) : []
}

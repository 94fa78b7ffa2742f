/**
 * The part of `Environment.service` that annotations, last filters and chosen deployments belong to: base URL and
 * tenant. It stays the same while the headers, the proxy or the certificate rule are edited.
 */
export const annotatedService = (service: string): string => service.split('.', 1)[0]!

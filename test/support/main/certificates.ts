import { webcrypto } from 'node:crypto'
import type { X509Certificate, Extension, JsonGeneralNames } from '@peculiar/x509'

/*
 * Certificates for tests, created on the fly: no program and no file is needed, and none expires.
 *
 * @peculiar/x509 needs the metadata functions of a proposal on Reflect. These are the ones that it uses.
 */
const metadata = new WeakMap<object, Map<unknown, unknown>>()
Object.assign(Reflect, {
  defineMetadata(key: unknown, value: unknown, target: object) {
    metadata.set(target, (metadata.get(target) ?? new Map<unknown, unknown>()).set(key, value))
  },
  getMetadata(key: unknown, target: object): unknown {
    for (let from: object | null = target; from !== null; from = Object.getPrototypeOf(from) as object | null)
      if (metadata.get(from)?.has(key)) return metadata.get(from)?.get(key)
    return undefined
  },
  getOwnMetadata: (key: unknown, target: object) => metadata.get(target)?.get(key),
})

const x509 = await import('@peculiar/x509')
x509.cryptoProvider.set(webcrypto as Crypto)

/** A certificate with its private key, both in PEM. */
export interface MadeCertificate {
  pem: string
  key: string
  /** As Node and Slipway write it: upper case with colons. */
  fingerprint: string
}

/** An authority, which issues certificates. */
export interface Authority extends MadeCertificate {
  /** Its keys, for another certificate with the same keys. */
  keys: CryptoKeyPair
  /** Issues a certificate for a service. */
  issue: (options?: LeafOptions) => Promise<MadeCertificate>
  /** Issues the certificate of a subordinate authority. */
  issueAuthority: (options?: AuthorityOptions) => Promise<Authority>
}

export interface LeafOptions {
  name?: string
  /** The hosts that it is for. Default: localhost and 127.0.0.1. */
  hosts?: JsonGeneralNames
  notBefore?: Date
  notAfter?: Date
  /** The object identifiers of the extended key usage. Default: a server's. */
  purposes?: string[]
  extensions?: Extension[]
}

export interface AuthorityOptions {
  name?: string
  pathLength?: number
  notAfter?: Date
  isAuthority?: boolean
  extensions?: Extension[]
  /** Default: new keys. */
  keys?: CryptoKeyPair
}

const day = 24 * 60 * 60 * 1000
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

export const yesterday = (): Date => new Date(Date.now() - day)

const names = (name: string): string => `CN=${name}, O=Slipway's tests`

async function made(certificate: X509Certificate, keys: CryptoKeyPair): Promise<MadeCertificate> {
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  const fingerprint = Buffer.from(await certificate.getThumbprint('SHA-256')).toString('hex')
  return {
    pem: `${certificate.toString('pem')}\n`,
    key: `-----BEGIN PRIVATE KEY-----\n${key.match(/.{1,64}/g)!.join('\n')}\n-----END PRIVATE KEY-----\n`,
    fingerprint: fingerprint.toUpperCase().match(/../g)!.join(':'),
  }
}

const newKeys = async (): Promise<CryptoKeyPair> =>
  await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])

function leafExtensions({ hosts, purposes, extensions = [] }: LeafOptions): Extension[] {
  return [
    new x509.SubjectAlternativeNameExtension(
      hosts ?? [
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
      ],
    ),
    new x509.ExtendedKeyUsageExtension(purposes ?? ['1.3.6.1.5.5.7.3.1']),
    ...extensions,
  ]
}

function authorityExtensions({
  isAuthority = true,
  pathLength,
  extensions = [],
}: AuthorityOptions): Extension[] {
  return [new x509.BasicConstraintsExtension(isAuthority, pathLength, true), ...extensions]
}

function validity({ notBefore, notAfter }: { notBefore?: Date; notAfter?: Date }) {
  return {
    notBefore: notBefore ?? new Date(Date.now() - 30 * day),
    notAfter: notAfter ?? new Date(Date.now() + 30 * day),
  }
}

/** Creates a private authority. */
export async function makeAuthority(options: AuthorityOptions = {}): Promise<Authority> {
  const keys = options.keys ?? (await newKeys())
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: names(options.name ?? 'Private CA'),
    ...validity(options),
    signingAlgorithm: algorithm,
    keys: keys,
    extensions: authorityExtensions(options),
  })
  return authorityOf(certificate, keys)
}

async function authorityOf(certificate: X509Certificate, keys: CryptoKeyPair): Promise<Authority> {
  async function sign(name: string, own: CryptoKeyPair, times: LeafOptions, extensions: Extension[]) {
    return await x509.X509CertificateGenerator.create({
      subject: names(name),
      issuer: certificate.subject,
      ...validity(times),
      signingAlgorithm: algorithm,
      publicKey: own.publicKey,
      signingKey: keys.privateKey,
      extensions,
    })
  }
  return {
    ...(await made(certificate, keys)),
    keys,
    async issue(options = {}) {
      const own = await newKeys()
      return made(await sign(options.name ?? 'Service', own, options, leafExtensions(options)), own)
    },
    async issueAuthority(options = {}) {
      const own = options.keys ?? (await newKeys())
      const name = options.name ?? 'Authority in between'
      return authorityOf(await sign(name, own, options, authorityExtensions(options)), own)
    },
  }
}

/** Creates a self-signed certificate of a service. */
export async function makeSelfSigned(options: LeafOptions = {}): Promise<MadeCertificate> {
  const keys = await newKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: names(options.name ?? 'Self-signed service'),
    ...validity(options),
    signingAlgorithm: algorithm,
    keys: keys,
    extensions: leafExtensions(options),
  })
  return made(certificate, keys)
}

/**
 * Self-signed authorities with one name and one key. By name and signature, each could have issued every other and
 * all of their certificates.
 */
export async function makeLookAlikes(count: number): Promise<Authority[]> {
  const keys = await newKeys()
  return Promise.all(Array.from({ length: count }, () => makeAuthority({ name: 'Look-alike', keys })))
}

/** PKCS#7 (a .p7b file) with certificates, in DER. */
export const pkcs7Of = (...certificates: MadeCertificate[]): Buffer =>
  Buffer.from(
    new x509.X509Certificates(certificates.map(({ pem }) => new x509.X509Certificate(pem))).export('raw'),
  )

/** A certificate in DER. */
export const derOf = ({ pem }: MadeCertificate): Buffer => Buffer.from(new x509.X509Certificate(pem).rawData)

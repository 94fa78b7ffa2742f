import { serveKeychain } from './serve'

// The keychain process. keytar calls into the system's libraries, so it may block, hang or crash. The main process then
// kills it and starts another one.
serveKeychain(process.parentPort)

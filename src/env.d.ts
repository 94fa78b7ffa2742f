/// <reference types="vite/client" />
import type { Bridge } from '@contract'

declare global {
  interface Window {
    /** What the preload exposes; only src/app/api.ts uses it. */
    slipway: Bridge
  }
}

import type { ServiceClocks } from '../../../electron/main/features/deployments/attempts/service-clocks'
import type { HttpClient } from '../../../electron/main/http/types'

/** A client that notes the services' clocks from its outcomes, as the application's client does. */
export const withClocks = (http: HttpClient, clocks: ServiceClocks): HttpClient => ({
  ...http,
  async request(request) {
    const outcome = await http.request(request)
    clocks.note(request.target, outcome)
    return outcome
  },
})

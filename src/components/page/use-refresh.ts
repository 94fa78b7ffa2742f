import { onBeforeUnmount, onMounted } from 'vue'
import { useAppStore } from '@/stores/app'

/** Lets the menu's "Refresh" ask again for what the screen shows, while the screen is in view. */
export function useRefresh(refresh: () => void): void {
  const app = useAppStore()
  onMounted(() => {
    app.refresh = refresh
  })
  onBeforeUnmount(() => {
    if (app.refresh === refresh) app.refresh = null
  })
}

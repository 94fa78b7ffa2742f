import { onBeforeUnmount, onMounted } from 'vue'
import { useAppStore } from '@/stores/application/app'

/** Connects the menu's "Refresh" to a screen while it is in view. */
export function useRefresh(refresh: () => void): void {
  const app = useAppStore()
  onMounted(() => {
    app.refresh = refresh
  })
  onBeforeUnmount(() => {
    if (app.refresh === refresh) app.refresh = null
  })
}

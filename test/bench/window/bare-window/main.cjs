// The floor of a start: a window with one line of text, and nothing else.

const { app, BrowserWindow } = require('electron')

void app.whenReady().then(() => {
  const window = new BrowserWindow({ width: 1280, height: 800, show: false })
  window.once('ready-to-show', () => window.show())
  void window.loadURL('data:text/html,<!doctype html><title>Bare</title><p>Bare window</p>')
})

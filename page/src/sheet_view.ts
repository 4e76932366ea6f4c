/** The strategy sheet, to be printed. */
import { type App } from './app';
import { button, type Child, h } from './dom';
import { say } from './words';

export function sheetView(app: App): Child[] {
  const sheet = app.data.sheet!;
  return [
    h(
      'article',
      { class: 'sheet', lang: 'en' },
      h('h2', { tabindex: -1 }, sheet.title),
      sheet.facts.slice(0, 1).map((line) => h('p', {}, line)),
      h(
        'ul',
        {},
        sheet.lines.map((line) => h('li', {}, line)),
      ),
      sheet.tables.map((table) =>
        h(
          'section',
          {},
          h('h2', {}, table.heading),
          h(
            'div',
            { class: 'wide', tabindex: 0, role: 'region', 'aria-label': table.heading },
            h(
              'table',
              {},
              h(
                'tr',
                {},
                table.columns.map((column) => (column ? h('th', { scope: 'col' }, column) : h('td'))),
              ),
              table.rows.map((row) =>
                h(
                  'tr',
                  {},
                  row.map((cell) => h('td', {}, cell)),
                ),
              ),
            ),
          ),
          table.note ? h('p', {}, table.note) : null,
        ),
      ),
      sheet.cost.map((line) => h('p', {}, line)),
      sheet.facts.slice(1).map((line) => h('p', { class: 'hint' }, line)),
    ),
    h(
      'p',
      { class: 'row no-print' },
      button(say('print'), () => window.print(), { class: 'deed' }),
      button(say('back'), () => app.act(() => void (app.showsSheet = false))),
    ),
  ];
}

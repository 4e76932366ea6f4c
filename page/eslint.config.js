import tseslint from 'typescript-eslint';

export default tseslint.config(...tseslint.configs.recommended, {
  rules: {
    'no-restricted-syntax': [
      'error',
      {
        selector: ':matches(CallExpression, NewExpression) > SpreadElement.arguments',
        message: 'a call takes about 100,000 arguments: pass the array itself (see dom.ts, and largest in numbers.ts)',
      },
    ],
    'no-restricted-properties': [
      'error',
      ...[
        { property: 'innerHTML' },
        { property: 'outerHTML' },
        { property: 'insertAdjacentHTML' },
        { object: 'document', property: 'write' },
      ].map((one) => ({ ...one, message: 'names from files are hostile: textContent only' })),
    ],
  },
});

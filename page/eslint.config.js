import tseslint from 'typescript-eslint';

export default tseslint.config(...tseslint.configs.recommended, {
  rules: {
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

// SPDX-License-Identifier: MIT
// The program that scripts/test-h2spec runs, as a dependency: go.mod pins it and what it uses.

//go:build tools

package tools

import _ "github.com/summerwind/h2spec/cmd/h2spec"

package containerfile_test

import (
	"strings"
	"testing"
)

// TestGolang compiles in a stage from golang's own image. Of its variables the names are known:
// what cannot be one of them has no value, and what may is refused where it decides something.
func TestGolang(t *testing.T) {
	const build = "WORKDIR /src\nCOPY . .\nRUN GOARCH=arm GOARM=$VARIANT go build -ldflags \"-X " +
		"a=${CERTS:-none}\" -o /out/x\n"
	const built, unknown = "x=. linux/arm/v7 [-X a=none]", "nothing here sets the variable VARIANT"
	for _, c := range []struct{ base, build, want string }{
		{"golang:1.26", build, built},
		{"docker.io/golang:1.26", build, built},
		{"docker.io/library/golang", build, built},
		{"golang@sha256:" + strings.Repeat("0", 64), build, built},
		{"golang:1.26 AS a\nENV VARIANT=6\nFROM a", build, "x=. linux/arm/v6 [-X a=none]"},
		{"golang:1.26 AS a\nFROM a", build, built},
		{"golang", build, unknown}, // slipway.yaml may have a base of this name
		{"quay.io/library/golang:1.26", build, unknown},
		{"docker.io/x/golang:1.26", build, unknown},
		{"alpine:3.23", "RUN apk add go\n" + build, unknown},
		{
			"golang:1.26", strings.ReplaceAll(build, "CERTS", "GOLANG_VERSION"),
			"nothing here sets the variable GOLANG_VERSION, and the base golang:1.26, which may, is not read",
		},
		{
			"golang:1.26", strings.ReplaceAll(build, "CERTS", "GOTOOLCHAIN"),
			"nothing here sets the variable GOTOOLCHAIN",
		},
		{
			"golang:1.26", "WORKDIR /src\nCOPY . .\nRUN [ -z \"$GIT_VERSION\" ] && go build -o /out/x\n",
			"nothing here sets the variable GIT_VERSION",
		},
		{
			"golang:1.26", strings.ReplaceAll(build, "CERTS", "HOME"),
			"${HOME:-none} is known only when the command runs",
		},
	} {
		got := goBuilds(t, "FROM "+c.base+" AS b\n"+c.build+"FROM scratch\nCOPY --from=b /out /\n")
		if !strings.Contains(got, c.want) {
			t.Errorf("%s:\n%s\n%s, want %s", c.base, c.build, got, c.want)
		}
	}
}

package network_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/output"
)

// TestHelperOutput runs credential helpers that fail: nothing of what they write is printed, since
// it may be the password.
func TestHelperOutput(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("DOCKER_CONFIG", dir)
	output.Secret("swordfish-1234")
	for what, tt := range map[string]struct{ script, says string }{
		"lines": {
			`echo "the vault is closed"; echo hunter2; exit 1`,
			"docker-credential-lines: exit status 1: run docker-credential-lines get by hand with ",
		},
		"word":     {`echo hunter2; exit 1`, "docker-credential-word: exit status 1: run "},
		"sentence": {`echo "the password hunter2 is wrong"; exit 1`, "docker-credential-sentence: exit status 1: run "},
		"json": {
			`echo '{"ServerURL":"x","Username":"ann","Secret":"hunter2"}'; exit 1`,
			"docker-credential-json: exit status 1",
		},
		"pretty": {`printf '{\n"Secret":\n"hunter2"}\n'; exit 1`, "docker-credential-pretty: exit status 1"},
		"known": {
			`echo "no swordfish-1234 here"; exit 1`,
			"docker-credential-known: exit status 1: run ",
		},
		"escapes": {
			`printf 'a\033[2J\033]0;b\007\r\nhunter2\n'; exit 1`,
			`docker-credential-escapes: exit status 1: run `,
		},
		"long": {
			`head -c 60000 /dev/zero | tr '\0' x; exit 1`,
			"docker-credential-long: exit status 1: run ",
		},
		"megabytes": {
			`head -c 5000000 /dev/zero | tr '\0' x; exit 1`,
			"docker-credential-megabytes has written more than 65536 bytes",
		},
		"endless": {`yes hunter2`, "docker-credential-endless has written more than 65536 bytes"},
		"silent":  {`exit 1`, "docker-credential-silent: exit status 1"},
		"killed":  {`kill -9 $$`, "docker-credential-killed: signal: killed"},
		"garbage": {`echo hunter2`, "docker-credential-garbage has not answered as the protocol " +
			"of credential helpers wants it: run docker-credential-garbage get by hand"},
		"empty": {`:`, "docker-credential-empty has not answered as the protocol"},
		"cut": {
			`printf '{"Username":"ann","Secret":"hunter2'`,
			"docker-credential-cut has not answered as the protocol",
		},
		"other": {`echo '["hunter2"]'`, "docker-credential-other has not answered as the protocol"},
		"reads never": {
			`exec <&-; echo hunter2 >&2; echo closed; exit 3`,
			"docker-credential-reads never: exit status 3: run ",
		},
	} {
		t.Run(what, func(t *testing.T) {
			for file, text := range map[string]string{
				"docker-credential-" + what: "#!/bin/sh\n" + tt.script + "\n",
				"config.json":               fmt.Sprintf(`{"credsStore":%q}`, what),
			} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			o := options()
			o.HelperTime = time.Minute
			_, err := network.New(o).Head(t.Context(), registryAt(t, "localhost:1").Tag("1"))
			if err == nil || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "hunter2") ||
				strings.ContainsAny(err.Error(), "\n\x1b") || len(err.Error()) > 1000 {
				t.Errorf("the error is %q, and not %q", err, tt.says)
			}
		})
	}
}

//go:build linux

package explore

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// given is a directory with what lines name besides a release: keys, a program that signs, nodes of
// a cluster. It is made once.
var given = sync.OnceValue(func() string {
	dir := filepath.Join(shared, "given")
	for path, text := range map[string]string{
		"keys/signer.sh": "#!/bin/sh\nexec openssl dgst -sha256 -sign \"$(dirname \"$0\")\"/hsm.pem\n",
		"keys/nodes.json": `{"apiVersion": "v1", "kind": "List", "items": [
{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "lin", "labels": {"kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}}},
{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "win", "labels": {"kubernetes.io/os": "windows", "kubernetes.io/arch": "amd64", "node.kubernetes.io/windows-build": "10.0.20348"}}}]}
`,
		"keys/kubeconfig.yaml": fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: here
clusters: [{name: here, cluster: {server: %q}}]
users: [{name: me, user: {token: secret}}]
contexts: [{name: here, context: {cluster: here, user: me}}]
`, apiserver()),
		"keys/values.yaml":       "replicas: 3\n",
		"trusted/verifier.yaml":  "allow: [example.com/a]\n",
		"trusted/keys/README":    "",
		"trusted/statements/nil": "",
		"bare/go.mod":            "module example.com/bare\n\ngo 1.24\n",
		"bare/cmd/bare/main.go":  mainText,
		"bare/Dockerfile":        "FROM scratch\nCOPY motd /motd\n",
		"bare/motd":              "hello\n",
		"cacheprog.stdin":        cacheRequests(),
	} {
		at := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			panic(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o755); err != nil { //nolint:gosec // one is a program
			panic(err)
		}
	}
	for _, args := range [][]string{
		{command(), "keygen", "one"},
		{command(), "keygen", "two"},
		{"openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "hsm.pem"},
		{"openssl", "ec", "-in", "hsm.pem", "-pubout", "-out", "hsm.pub"},
		{"openssl", "req", "-x509", "-key", "hsm.pem", "-subj", "/CN=drawn", "-out", "ca.pem"},
		{"cp", "one.pub", "../trusted/keys/one.pub"},
	} {
		cmd := exec.CommandContext(context.Background(), args[0], args[1:]...)
		cmd.Dir, cmd.Env = filepath.Join(dir, "keys"), append(os.Environ(), "SLIPWAY_PASSWORD=secret")
		if out, err := cmd.CombinedOutput(); err != nil {
			panic(fmt.Sprintf("%v: %v: %s", args, err, out))
		}
	}
	return dir
})

// apiserver answers as an apiserver does that has one node. It ends with the test.
var apiserver = sync.OnceValue(func() string {
	return httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/api/v1/nodes" {
			http.NotFound(rw, q)
			return
		}
		rw.Header().Set("Content-Type", "application/json")
		fmt.Fprint(rw,
			`{"kind": "NodeList", "apiVersion": "v1", "items": [{"metadata": {"name": "lin", "labels": {"kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}}}]}`)
	})).URL
})

// cacheRequests are what the go command writes to a cache program that it puts an object into.
func cacheRequests() string {
	id := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("a", 32)))
	return `{"ID": 1, "Command": "put", "ActionID": "` + id + `", "OutputID": "2zyltUF+UxBDEGyt1qkapEIk9Nln1GgW0vCtpLIXdrQ=", "BodySize": 16}

"b2JqZWN0IG9mIGEgdGVzdA=="

{"ID": 2, "Command": "close"}
`
}

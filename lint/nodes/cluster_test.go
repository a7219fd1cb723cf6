package nodes_test

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/lint/nodes"
)

// apiserver serves count nodes as an apiserver does, by pages; expire is the page whose token has
// expired. asked records its requests.
func apiserver(t *testing.T, count, expire int) (kubeconfig string, asked func() []string) {
	t.Helper()
	var mu sync.Mutex
	var calls []string
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		calls = append(calls, r.Method+" "+r.URL.String()+" "+r.Header.Get("Authorization")+" "+r.UserAgent())
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		q := r.URL.Query()
		limit, _ := strconv.Atoi(q.Get("limit"))
		from, _ := strconv.Atoi(q.Get("continue"))
		if r.URL.Path != "/api/v1/nodes" {
			http.NotFound(w, r)
			return
		}
		if limit > 0 && expire > 0 && from/limit == expire {
			w.WriteHeader(http.StatusGone)
			fmt.Fprint(w,
				`{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Expired", "code": 410, "message": "the token has expired"}`)
			return
		}
		list := corev1.NodeList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "NodeList"}}
		for i := from; i < count && (limit == 0 || i < from+limit); i++ {
			list.Items = append(list.Items,
				corev1.Node{ObjectMeta: metav1.ObjectMeta{
					Name:   fmt.Sprintf("n%d", i),
					Labels: map[string]string{"kubernetes.io/os": "linux"},
				}})
		}
		if next := from + limit; limit > 0 && next < count {
			list.Continue = strconv.Itoa(next)
		}
		if err := json.NewEncoder(w).Encode(list); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	kubeconfig = filepath.Join(t.TempDir(), "config")
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: nowhere
clusters:
- {name: here, cluster: {server: "%s", certificate-authority-data: %s}}
- {name: nowhere, cluster: {server: "http://127.0.0.1:1"}}
users: [{name: me, user: {token: secret}}]
contexts:
- {name: here, context: {cluster: here, user: me}}
- {name: nowhere, context: {cluster: nowhere, user: me}}
`, s.URL, base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})))
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return kubeconfig, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(calls)
	}
}

// TestList asks for 1201 nodes, three pages, by a file and by the environment.
func TestList(t *testing.T) {
	kubeconfig, asked := apiserver(t, 1201, 0)
	list, err := nodes.List(t.Context(),
		nodes.Cluster{Kubeconfig: kubeconfig, Context: "here", UserAgent: "slipway/test"})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1201 || list[1200].Name != "n1200" || list[1200].Platform.OS != "linux" {
		t.Errorf("%d nodes, the last is %+v", len(list), list[len(list)-1])
	}
	want := "GET /api/v1/nodes?continue=500&limit=500 Bearer secret slipway/test"
	if got := asked(); len(got) != 3 || got[1] != want {
		t.Errorf("asked %q, want three, the second %q", got, want)
	}
	t.Setenv("KUBECONFIG", kubeconfig)
	if list, err = nodes.List(t.Context(), nodes.Cluster{Context: "here"}); err != nil || len(list) != 1201 {
		t.Errorf("by KUBECONFIG: %d nodes, %v", len(list), err)
	}
}

// TestListExpired holds that a list whose token expires on the way is asked for anew, and no node
// is there twice.
func TestListExpired(t *testing.T) {
	kubeconfig, _ := apiserver(t, 1201, 2)
	list, err := nodes.List(t.Context(), nodes.Cluster{Kubeconfig: kubeconfig, Context: "here"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, n := range list {
		names = append(names, n.Name)
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != 1201 || len(list) != 1201 {
		t.Errorf("%d nodes, %d of them others", len(list), len(slices.Compact(names)))
	}
}

func TestListFails(t *testing.T) {
	kubeconfig, _ := apiserver(t, 1, 0)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("KUBECONFIG", "")
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	for name, tc := range map[string]struct {
		cluster nodes.Cluster
		want    string
	}{
		"none": {nodes.Cluster{}, "no cluster is named: pass -kubeconfig, set KUBECONFIG, " +
			"or pass a file from kubectl get nodes -o json with -nodes"},
		"missing": {nodes.Cluster{Kubeconfig: "/nowhere/config"}, "/nowhere/config: no such file"},
		"context": {
			nodes.Cluster{Kubeconfig: kubeconfig, Context: "there"},
			`reading the kubeconfig: context "there" does not exist`,
		},
		"unreachable": {nodes.Cluster{Kubeconfig: kubeconfig}, "listing the nodes of http://127.0.0.1:1: "},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := nodes.List(t.Context(), tc.cluster)
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

// TestListRefused: a cluster that refuses the list is one that could not be read.
func TestListRefused(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403,
"message": "nodes is forbidden"}`)
	}))
	defer s.Close()
	path := filepath.Join(t.TempDir(), "config")
	text := fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: a, users: [{name: a, user: {}}],
contexts: [{name: a, context: {cluster: a, user: a}}], clusters: [{name: a, cluster: {server: %q}}]}`, s.URL)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := nodes.List(t.Context(), nodes.Cluster{Kubeconfig: path})
	if err == nil || !outcome.Failed(err) || !strings.Contains(err.Error(), "nodes is forbidden") {
		t.Errorf("got %v: it is to count as a failure of the server", err)
	}
}

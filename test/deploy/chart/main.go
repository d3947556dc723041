// Command chart renders a Helm chart as "helm template" does, and decodes what comes out strictly into the types of
// Kubernetes: a field that they do not have is an error. It prints what it rendered.
//
//	chart CHART [VALUES...]
package main

import (
	"fmt"
	"os"
	"path"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/releaseutil"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
)

func main() {
	if err := render(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func render(folder string, files []string) error {
	chart, err := loader.Load(folder)
	if err != nil {
		return err
	}
	given := map[string]any{}
	for _, file := range files {
		values, err := chartutil.ReadValuesFile(file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		// The first argument wins.
		given = chartutil.CoalesceTables(values, given)
	}
	release := chartutil.ReleaseOptions{Name: "sextant", Namespace: "default", Revision: 1, IsInstall: true}
	values, err := chartutil.ToRenderValues(chart, given, release, chartutil.DefaultCapabilities)
	if err != nil {
		return err
	}
	rendered, err := engine.Engine{Strict: true}.Render(chart, values)
	if err != nil {
		return err
	}
	return decode(rendered)
}

func decode(rendered map[string]string) error {
	strict := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	names := make([]string, 0, len(rendered))
	for name := range rendered {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if path.Ext(name) != ".yaml" {
			continue
		}
		for _, manifest := range manifestsOf(rendered[name]) {
			if _, _, err := strict.Decode([]byte(manifest), nil, nil); err != nil {
				return fmt.Errorf("%s: %w in\n%s", name, err, manifest)
			}
			fmt.Printf("---\n%s\n", strings.TrimSpace(manifest))
		}
	}
	return nil
}

// The manifests of a file, in their order.
func manifestsOf(text string) []string {
	split := releaseutil.SplitManifests(text)
	keys := make([]string, 0, len(split))
	for key := range split {
		keys = append(keys, key)
	}
	sort.Sort(releaseutil.BySplitManifestsOrder(keys))
	manifests := make([]string, 0, len(keys))
	for _, key := range keys {
		manifests = append(manifests, split[key])
	}
	return manifests
}

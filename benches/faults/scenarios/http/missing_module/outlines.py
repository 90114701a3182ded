from shapely.geometry import LineString


def simplify(points, tolerance=0.1):
    return list(LineString(points).simplify(tolerance).coords)

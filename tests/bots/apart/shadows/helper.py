from numbers_inside.five import NUMBER
